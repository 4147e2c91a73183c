import type { Tool } from '../registry/tool.js';
import { editTool } from './edit.js';
import { findTool } from './find.js';
import { grepTool } from './grep.js';
import { lsTool } from './ls.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

/** In every surface by default (`surface:default`). */
export const readTools: readonly Tool[] = [readTool, grepTool, findTool, lsTool];

/** Only with enableWriteTools. */
export const writeTools: readonly Tool[] = [editTool, writeTool];
