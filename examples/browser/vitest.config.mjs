import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

// A Chromium of the system; without it, the one that `npx playwright install chromium` brings.
const { CHROMIUM: executablePath } = process.env
const launchOptions = executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {}

export default defineConfig({
  test: {
    include: ['*.test.mjs'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
