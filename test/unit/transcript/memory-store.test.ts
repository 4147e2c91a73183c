import { MemoryTranscriptStore } from './memory-store.js';
import { describeTranscriptStore } from './store-contract.js';

describeTranscriptStore('The store that tests use', async () => {
  const texts = new Map<string, string>();
  return {
    open: () => new MemoryTranscriptStore(texts),
    remove: async (digest) => {
      texts.delete(digest);
    },
    alter: async (digest) => {
      texts.set(digest, (texts.get(digest) ?? '').replace('w', 'W'));
    },
  };
});
