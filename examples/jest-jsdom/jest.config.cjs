module.exports = {
  testEnvironment: 'jsdom',
  testMatch: ['<rootDir>/*.test.cjs'],
  moduleFileExtensions: ['cjs', 'js', 'json'],
  transform: {},
  setupFilesAfterEnv: ['fauxgate/jest'],
}
