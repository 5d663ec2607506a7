// argv-spawn/effect. Re-exports only.

export { layer, layerWith, makeSpawner } from './effect/spawner.ts';

export type { SpawnerOptions } from './effect/command-options.ts';
