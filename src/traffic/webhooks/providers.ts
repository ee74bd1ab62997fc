import { providersAToI } from './providers-a-to-i.ts'
import { providersJToZ } from './providers-j-to-z.ts'
import type { Provider } from './scheme.ts'

/** The providers of webhooks by name. */
export const providers: ReadonlyMap<string, Provider> = new Map(Object.entries({ ...providersAToI, ...providersJToZ }))
