import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

// The system's Chromium, or the one of `npx playwright install chromium`.
const { CHROMIUM: executablePath } = process.env
const launchOptions = executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {}

export default defineConfig({
  test: {
    include: ['*.test.ts'],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
