import { defineConfig, type Options } from 'tsup'
import { entryPoints } from '../entries.ts'

/**
 * Declarations that name types of valibot or MSW are apart, because a chunk that others shared with them would ask every user
 * for those packages. MSW's classes differ for a module and for CommonJS, so its entry point has declarations for both.
 */
const { kit, msw, ...withoutPeers } = entryPoints

/** Returns the declarations that tsc has written for some entry points: tsup would infer all types itself, in ten times the time. */
const declarationsOf = (entries: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [name, path.replace(/^src(.*)\.ts$/, '.types$1.d.ts')]),
  )

const common = {
  // `npm start` shows a guided run, not a list of chunks.
  silent: true,
  external: [/^node:/, 'vitest', 'msw', 'expect', 'cloudflare:workers'],
  // TypeScript's libraries before `esnext` lack the type of `Symbol.dispose`, so each file asks for it.
  dts: { only: true, resolve: true, banner: '/// <reference lib="esnext.disposable" />' },
} satisfies Options

// scripts/build/bundle.mjs makes the code, and declarations of the modules that name those of CommonJS.
export default defineConfig([
  { ...common, format: 'cjs', entry: declarationsOf(withoutPeers) },
  { ...common, format: 'cjs', entry: declarationsOf({ kit }) },
  { ...common, format: ['esm', 'cjs'], entry: declarationsOf({ msw }) },
])
