// The same with ECMAScript modules: node --experimental-vm-modules.
module.exports = {
  testEnvironment: 'jsdom',
  testMatch: ['<rootDir>/*.test.mjs'],
  moduleFileExtensions: ['mjs', 'js', 'json'],
  transform: {},
  setupFilesAfterEnv: ['fauxgate/jest'],
}
