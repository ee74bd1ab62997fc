import './install.mjs'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** Starts the browser that FAUXGATE_CHROMIUM names, or that of the system. */
export async function startChromium() {
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: process.env.FAUXGATE_CHROMIUM ?? '/usr/bin/chromium', args: FLAGS })
}
