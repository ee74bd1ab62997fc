import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser; an empty text where there is none. */
    chromium: string
  }
}

const PLACES = [
  process.env.FAUXGATE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Finds the browser, or says loudly that these tests are left out. */
export default function setup({ provide }: TestProject): void {
  const found = PLACES.find((place) => place && existsSync(place)) ?? ''
  provide('chromium', found)
  if (found === '') {
    console.error('\nALL TESTS OF THE INSPECTOR ARE LEFT OUT: no chromium. Install it (apt-get install chromium),')
    console.error('or name one in FAUXGATE_CHROMIUM.\n')
    if (process.env.CI) throw new Error('Without a browser there are no tests of the inspector.')
  }
}
