// Installs the packed package with Jest, ts-jest and vitest in an empty project, lets `fauxgate init` write its files for
// each kind of project, and runs the command that it prints. Needs `npm run build`.
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, run, withPackage, withVersions } from '../../scripts/shared.mjs'

const TSCONFIG = { compilerOptions: { strict: true, target: 'es2022', module: 'nodenext', isolatedModules: true } }

/** The projects: their runner, the type of their package, and whether they have ts-jest and a tsconfig.json. */
const PROJECTS = [
  ['jest', 'commonjs'],
  ['jest', 'module'],
  ['jest', 'commonjs', 'ts-jest'],
  ['jest', 'module', 'ts-jest'],
  ['jest', 'commonjs', 'ts-jest', 'tsconfig'],
  ['jest', 'module', 'ts-jest', 'tsconfig'],
  ['vitest', 'module'],
  ['node', 'module'],
  ['node', 'module', 'tsconfig'],
  ['node', 'commonjs', 'tsconfig'],
]

await withPackage(async (folder, tarball) => {
  install(
    folder,
    tarball,
    'ts-jest@29',
    ...withVersions('jest', 'typescript', 'vitest', '@types/node'),
    '@jest/globals@30',
  )
  for (const [runner, type, ...parts] of PROJECTS) {
    const project = join(folder, [runner, type, ...parts].join('-'))
    mkdirSync(project)
    symlinkSync(join(folder, 'node_modules'), join(project, 'node_modules'), 'junction')
    const devDependencies = parts.includes('ts-jest') ? { 'ts-jest': '29' } : {}
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type, devDependencies }))
    if (parts.includes('tsconfig')) writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const output = run(project, 'npx', 'fauxgate', 'init', '--runner', runner)
    const [, command] = /^Run the test: +(.+)$/m.exec(output)
    execFileSync(command, { cwd: project, shell: true, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
    console.log(`ok  ${runner} in a project with ${[type, ...parts].join(', ')}: ${command}`)
  }
})
