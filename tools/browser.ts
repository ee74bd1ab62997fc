// What tests in a browser use of the packages in this folder.
import { createRequire } from 'node:module'

export type { AxeResults } from 'axe-core'
export {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Route,
} from 'playwright-core'

/** The file with axe-core, for a page. */
export const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
