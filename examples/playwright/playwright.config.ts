import { defineConfig } from '@playwright/test'

// The system's Chromium, or the one of `npx playwright install chromium`.
const { CHROMIUM: executablePath } = process.env

export default defineConfig({
  testMatch: '*.test.ts',
  fullyParallel: true,
  use: {
    browserName: 'chromium',
    launchOptions: executablePath ? { executablePath, args: ['--no-sandbox', '--disable-gpu'] } : {},
  },
})
