import { defineConfig } from 'vitest/config'

// `survives` runs a function some hundred times, which takes more than 5 s on a busy machine.
export default defineConfig({ test: { include: ['*.test.ts'], testTimeout: 30_000 } })
