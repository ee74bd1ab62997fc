// Writes src/server/options/sentences.ts and the tables of docs/command.md: `npm run command:generate`.
import { writeFileSync } from 'node:fs'
import { sentencesFile } from './command/sentences.mjs'

writeFileSync(new URL('../src/server/options/sentences.ts', import.meta.url), sentencesFile())
