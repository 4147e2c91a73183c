import { describe, expect, it } from 'vitest';
import { protectedGlobFault } from '../../../src/workspace/protected-glob.js';
import { forbidden } from '../../../src/workspace/protected-paths.js';

describe('a glob to protect paths by', () => {
  it.each([
    [7, /must be a glob/],
    ['', /must be a glob/],
    [' ', /must be a glob/],
    [' a', /blank/],
    ['a\t', /blank/],
    ['a\nb', /character that no glob has/],
    ['\ud800', /character that no glob has/],
    ['!a', /added, never taken away/],
    ['#a', /comment/],
    ['a\\', /backslash/],
    ['*.{pem,key}', /one glob for each/],
    ['a[b', /bracket/],
    ['a]b', /bracket/],
    ['[]', /bracket/],
    ['[]]', /bracket/],
    ['[z-a].txt', /backwards/],
    ['../x/**', /\. or \.\./],
    ['./x', /\. or \.\./],
    ['a//b', /between slashes/],
    ['/', /between slashes/],
  ])('is refused when it is %j [path:protected]', (glob, says) => {
    expect(protectedGlobFault(glob)).toMatch(says);
  });

  it.each([
    ['secrets/**', 'secrets/a/b'],
    ['secrets/**', 'secrets'],
    ['secrets/', 'deep/secrets/a'],
    ['secrets/', 'secrets'],
    ['/build', 'build/x'],
    ['*.key', 'a/B.KEY'],
    ['[a-c]?.txt', 'bz.txt'],
    ['[!a]', 'b'],
    [String.raw`\#a`, '#a'],
    [String.raw`a\[b`, 'a[b'],
    ['..foo', '..foo'],
  ])('%j protects %j [path:protected]', (glob, path) => {
    expect(protectedGlobFault(glob)).toBeUndefined();
    expect(forbidden([glob], 'read')(path)).toBe(true);
    expect(forbidden([glob], 'write')(path)).toBe(true);
  });
});
