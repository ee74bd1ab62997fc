import type {} from 'expect'
import { type GatewayMatchers, type MatcherFunctions, matchers } from './matchers.ts'

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: the parameters must be those of Jest's own declaration.
    interface Matchers<R, T = {}> extends GatewayMatchers<R, T> {}
  }
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends GatewayMatchers<R, T> {}
}

// Jest's own global, in files that Jest loads.
const { expect } = globalThis as { expect?: { extend(matchers: MatcherFunctions): void } }
if (!expect) throw new Error("fauxgate/jest found no global expect. Add fauxgate/jest to Jest's setupFilesAfterEnv.")
expect.extend(matchers)
