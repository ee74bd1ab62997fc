// A program that is started with `--require` of this file writes its processor time, in ms, to its fourth stream.
const { writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, String((user + system) / 1000))
})
