module.exports = { testMatch: ['<rootDir>/*.test.cjs'], moduleFileExtensions: ['cjs', 'js', 'json'], transform: {} }
