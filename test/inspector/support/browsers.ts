import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of each browser; an empty text where there is none. */
    chromium: string
    firefox: string
  }
}

const PLACES = {
  chromium: [process.env.FAUXGATE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: [process.env.FAUXGATE_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
}

/** Finds the browsers, or says loudly that their tests are left out. */
export default function setup({ provide }: TestProject): void {
  for (const name of ['chromium', 'firefox'] as const) {
    const found = PLACES[name].find((place) => place && existsSync(place)) ?? ''
    provide(name, found)
    if (found !== '') continue
    console.error(
      `\nALL TESTS OF THE INSPECTOR IN ${name.toUpperCase()} ARE LEFT OUT: there is none. Install it by apt-get,`,
    )
    console.error(`or name one in FAUXGATE_${name.toUpperCase()}.\n`)
    if (process.env.CI) throw new Error(`Without ${name} there are no tests of the inspector in it.`)
  }
}
