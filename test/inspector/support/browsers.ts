import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { CHROMIUM } from '../../support/chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of Firefox; an empty text if there is none. */
    firefox: string
  }
}

const FIREFOX = [process.env.FAUXGATE_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox']

/** Finds the browsers. Prints a warning if tests are left out. */
export default function setup({ provide }: TestProject): void {
  const firefox = FIREFOX.find((place) => place && existsSync(place)) ?? ''
  provide('firefox', firefox)
  for (const [name, path] of Object.entries({ chromium: CHROMIUM, firefox })) {
    if (path) continue
    console.error(
      `\nALL TESTS OF THE INSPECTOR IN ${name.toUpperCase()} ARE LEFT OUT: there is none. Install it by apt-get,`,
    )
    console.error(`or name one in FAUXGATE_${name.toUpperCase()}.\n`)
    if (process.env.CI) throw new Error(`Without ${name} there are no tests of the inspector in it.`)
  }
}
