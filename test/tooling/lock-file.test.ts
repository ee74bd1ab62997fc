import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

interface Entry {
  readonly version?: string
  readonly os?: readonly string[]
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe.each(['package-lock.json', 'tools/package-lock.json'])('The file %s', (path) => {
  const file = read(path)
  const packages: Readonly<Record<string, Entry>> = JSON.parse(file).packages

  test('has the packages of every platform, as `npm ci` demands', () => {
    const dependencies = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => [`${at}/node_modules/${name}`, `node_modules/${name}`] as const),
    )
    expect(dependencies.filter(([below, beside]) => !packages[below] && !packages[beside])).toEqual([])
  })

  test('has a checksum of every package for all platforms', () => {
    const others = Object.entries(packages).filter(([at, { os, integrity }]) => at !== '' && !os && !integrity)
    expect(others).toEqual([])
  })

  test('names no registry', () => {
    expect(file).not.toContain('"resolved": "http')
  })
})

test('Packages that the root and the tools both name have one version', () => {
  const [ofRoot, ofTools] = ['package.json', 'tools/package.json'].map((path) => JSON.parse(read(path)).devDependencies)
  const shared = Object.keys(ofTools).filter((name) => name in ofRoot)
  expect(shared.length).toBeGreaterThan(0)
  expect(ofTools).toMatchObject(Object.fromEntries(shared.map((name) => [name, ofRoot[name]])))
})

test('Installing the package runs no script, which npm would warn of', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
  expect(atInstall.filter((name) => name in scripts)).toEqual([])
})
