module.exports = {
  testMatch: ['<rootDir>/*.test.cjs'],
  moduleFileExtensions: ['cjs', 'js', 'json'],
  transform: {},
  // The matchers, with their types.
  setupFilesAfterEnv: ['fauxgate/jest'],
}
