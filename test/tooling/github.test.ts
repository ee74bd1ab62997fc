import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'

const read = (path: string) => readFileSync(`.github/${path}`, 'utf8')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))

const question = v.object({
  type: v.picklist(['textarea', 'input']),
  id: v.string(),
  attributes: v.object({ label: v.string(), description: v.string() }),
})
const issueForm = v.object({
  name: v.string(),
  description: v.string(),
  labels: v.array(v.string()),
  body: v.pipe(v.array(question), v.minLength(1)),
})

const workflow = v.object({
  on: v.record(v.string(), v.unknown()),
  jobs: v.record(v.string(), v.object({ steps: v.array(v.object({ run: v.exactOptional(v.string()) })) })),
})
const readWorkflow = (name: string) => v.parse(workflow, load(read(`workflows/${name}`)))
const commandsOf = (name: string) =>
  Object.values(readWorkflow(name).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

/** Returns the commands in a text that name no script of package.json and no program. */
function unknownCommands(text: string): string[] {
  const names = [...text.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name)
  const programs = [...text.matchAll(/(?<![\w/])\.ci\/\w+/g)].map(([path]) => path)
  const known = [...Object.keys(scripts), 'ci', 'audit', 'publish']
  return [...names.filter((name) => !known.includes(name)), ...programs.filter((path) => !existsSync(path))]
}

describe('On GitHub,', () => {
  test('a bug and a feature have a form, and security problems are reported privately', () => {
    const forms = readdirSync('.github/ISSUE_TEMPLATE').filter((name) => name !== 'config.yml')
    expect(forms.toSorted()).toEqual(['bug.yml', 'feature.yml'])
    for (const form of forms) expect(v.is(issueForm, load(read(`ISSUE_TEMPLATE/${form}`))), form).toBe(true)
    expect(read('ISSUE_TEMPLATE/config.yml')).toContain('/security/advisories/new')
  })

  test('the template of pull requests asks for a test, a source, and a line in the changelog', () => {
    expect(read('pull_request_template.md')).toMatch(/test fails without[\s\S]*have a source[\s\S]*CHANGELOG\.md/)
  })

  test.each(['pull_request_template.md', 'SECURITY.md'])('%s names current commands', (path) => {
    expect(unknownCommands(read(path))).toEqual([])
  })

  test.each(readdirSync('.github/workflows'))('the workflow %s runs current commands', (name) => {
    const commands = commandsOf(name)
    expect(commands).not.toEqual([])
    expect(commands.flatMap(unknownCommands)).toEqual([])
  })

  test('the dependencies are audited each week, as README.md says', () => {
    const schedule = v.parse(v.tuple([v.object({ cron: v.string() })]), readWorkflow('audit.yml').on.schedule)
    expect(schedule[0].cron).toMatch(/^\d+ \d+ \* \* [0-6]$/)
    expect(commandsOf('audit.yml').join('\n')).toContain('npm audit')
    expect(readFileSync('README.md', 'utf8')).toMatch(/\[a weekly\s+workflow\]\(.*audit\.yml\)/)
  })

  test('a release publishes with provenance, after all checks', () => {
    const commands = commandsOf('release.yml').join('\n')
    expect(commands).toMatch(/\.ci\/run --all\nnpm publish --provenance/)
  })
})
