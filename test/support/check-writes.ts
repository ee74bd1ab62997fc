// Makes each gateway of the tests check what its transactions write; see src/core/engine/write-check.ts.
Reflect.set(globalThis, Symbol.for('fauxgate.checksWrites'), true)
