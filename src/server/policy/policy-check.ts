import { checkPolicyFile } from '../../service/policy/files/check-file.ts'
import { PLACES, type PolicyOptions, PROTOCOLS } from '../../service/policy/options.ts'
import { type Command, flagValue, requireOneOf, throwMissingWords } from '../commands/command.ts'
import { messageOf } from '../errors.ts'
import { createPainter } from '../log/log.ts'
import { switchFlag, textFlag } from '../options/flags.ts'
import { print, printErrorLine, printPainted, warn } from '../terminal.ts'
import { listFiles, readEncoded, STDIN } from './read-files.ts'
import { FORMATS, type Paint, type ReportedFile } from './render.ts'

const plain: Paint = (_style, text) => text

const FORMAT_NAMES = ['text', 'json', 'junit', 'github'] as const

export const policyCheckCommand: Command = {
  name: 'policy check',
  words: 'FILE…',
  summary: 'Check traffic policies as ngrok does, without an account or a network connection',
  flags: [
    textFlag('format', FORMAT_NAMES.join('|'), 'The format of the output. Default: `text`.'),
    textFlag(
      'protocol',
      PROTOCOLS.join('|'),
      'The protocol of the endpoint. Default: the protocol in the file, or `https`.',
    ),
    textFlag('place', PLACES.join('|'), 'Where the policy is used. Default: the place in the file, or any endpoint.'),
    textFlag('plan', 'PLAN', "The account's plan, such as `free`. Default: a plan with all features."),
    switchFlag('strict', 'Count warnings as errors.'),
    switchFlag('pass-without-policies', 'Exit with code 0 even if no file contains a policy.'),
  ],
  example: 'policy check policy.yaml',
  notes: [
    'FILE is YAML or JSON, a folder, a glob such as "policies/**/*.yaml", or - for standard input.',
    "A file can be a policy, or contain policies: under traffic_policy (such as an agent config), in Kubernetes resources, or in Terraform's heredocs or jsonencode.",
    'Exit codes: 0 no errors; 1 errors; 2 invalid command line, unreadable file, or no file with a policy.',
  ],
  async run(parsed, environment) {
    if (parsed.words.length === 0) throwMissingWords('policy check', 'FILE', 'policy check policy.yaml')
    const chosen = <Name extends string>(flag: string, names: readonly Name[]) => {
      const value = flagValue(parsed, flag)
      return value === undefined ? undefined : requireOneOf(`--${flag}`, value, names)
    }
    const format = chosen('format', FORMAT_NAMES) ?? 'text'
    const [protocol, place, plan] = [chosen('protocol', PROTOCOLS), chosen('place', PLACES), flagValue(parsed, 'plan')]
    const options = { ...(protocol && { protocol }), ...(place && { place }), ...(plan !== undefined && { plan }) }
    const { files, hasFailed } = await checkAll(parsed.words, options, parsed.flags.get('strict') === true)
    if (files.every(({ policies, problems }) => policies.length + problems.length === 0)) {
      if (hasFailed) return 2
      if (format !== 'text') print(FORMATS[format](files, plain))
      if (parsed.flags.get('pass-without-policies')) return 0
      printErrorLine(
        `No traffic policy ${files.some(({ computedLines }) => computedLines.length > 0) ? 'that can be checked ' : ''}in ${parsed.words.join(', ')}. A policy contains lists of rules by phase, such as on_http_request.`,
      )
      return 2
    }
    printPainted(FORMATS[format](files, createPainter(process.stdout, environment)))
    if (hasFailed) return 2
    return files.some(({ problems }) => problems.some(({ severity }) => severity === 'error')) ? 1 : 0
  },
}

async function checkAll(
  words: readonly string[],
  options: PolicyOptions,
  isStrict: boolean,
): Promise<{ readonly files: readonly ReportedFile[]; readonly hasFailed: boolean }> {
  const files: ReportedFile[] = []
  let hasFailed = false
  for (const file of await listFiles(words)) {
    try {
      const text = await readEncoded(file)
      const checked = checkPolicyFile(text, options)
      const { computedLines } = checked
      if (computedLines.length > 0)
        warn(
          `${file} contains values that a template or Terraform computes, with {{…}}, \${…}, %{…} or jsonencode(…), in ${computedLines.length > 1 ? 'lines' : 'line'} ${computedLines.join(', ')}. These are not checked. Check the rendered output, for example: helm template . | fauxgate policy check -, or terraform show -json PLAN | fauxgate policy check -`,
        )
      const problems = isStrict
        ? checked.problems.map((each) => ({ ...each, severity: 'error' as const }))
        : checked.problems
      files.push({ ...checked, problems, file: file === STDIN ? '<stdin>' : file })
    } catch (error) {
      // Continue with the other files.
      printErrorLine(messageOf(error))
      hasFailed = true
    }
  }
  return { files, hasFailed }
}
