import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Entry {
  readonly version?: string
  readonly os?: readonly string[]
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const file = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
const packages: Readonly<Record<string, Entry>> = JSON.parse(file).packages

test('The lock file has the packages of every platform, as `npm ci` demands', () => {
  const dependencies = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => [`${at}/node_modules/${name}`, `node_modules/${name}`] as const),
  )
  expect(dependencies.filter(([below, beside]) => !packages[below] && !packages[beside])).toEqual([])
})

test('Every package for all platforms has a checksum', () => {
  const others = Object.entries(packages).filter(([at, { os, integrity }]) => at !== '' && !os && !integrity)
  expect(others).toEqual([])
})

test('The lock file names no registry', () => {
  expect(file).not.toContain('"resolved": "http')
})

test('Installing the package runs no script, which npm would warn of', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
  expect(atInstall.filter((name) => name in scripts)).toEqual([])
})
