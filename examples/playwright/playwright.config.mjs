import { defineConfig } from '@playwright/test'

// A Chromium of the system; without it, the one that `npx playwright install chromium` brings.
const { CHROMIUM: executablePath } = process.env

export default defineConfig({
  testMatch: '*.test.mjs',
  fullyParallel: true,
  use: {
    browserName: 'chromium',
    launchOptions: executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {},
  },
})
