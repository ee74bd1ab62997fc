import type { AllEvidence } from '../evidence.ts'
import { withParts } from '../markdown.ts'
import { doubtsOf, type OperationRules, type Section } from './rules.ts'
import { documentedNumbers } from './witnesses.ts'

/** Fills the parts of docs/differences.md that follow from the sources, each between comments with its name. */
export function differencesPage(
  page: string,
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): string {
  return withParts(page, {
    parts: partsOfTheApi(operations),
    statuses: statuses(all),
    doubts: doubts(sections),
  })
}

/** The first parts of the existing paths, such as `/reserved_domains`. */
function partsOfTheApi(operations: readonly OperationRules[]): string {
  const groupOf = ({ call }: OperationRules) => {
    const words = (call.split(' ')[1] ?? '').split('/').filter((word) => word !== '' && !word.startsWith('{'))
    return ['edges', 'backends'].includes(words[0] ?? '') ? words.slice(0, 2).join('/') : words[0]
  }
  const groups = [...new Set(operations.map(groupOf))].sort()
  return `The ${operations.length} operations are those of ${groups.map((group) => `\`/${group}\``).join(', ')}.`
}

function statuses({ errors }: AllEvidence): string {
  const documented = documentedNumbers(errors)
  const seen = documented.filter((found) => found.client)
  return `The documentation numbers ${documented.length} errors, and names the status of ${
    documented.filter((found) => !found.decided).length
  }. Programs rely on ${seen.length} of these numbers.`
}

function doubts(sections: readonly Section[]): string {
  return doubtsOf(sections)
    .map(({ link, text }) => `- ${link}: ${text}`)
    .join('\n')
}
