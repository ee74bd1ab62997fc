import { quote } from '../../../core/schema/text.ts'
import { placesOf } from '../lines.ts'
import { factsIn, HAS_PHASE, PHASE } from './facts.ts'
import { type FoundPolicies, type FoundPolicy, problemAt } from './found.ts'
import { readInterpolations, UNKNOWN } from './interpolations.ts'

/** Matches the first line of a block of Terraform, with the type of its resource and its name. */
export const BLOCK =
  /^[ \t]*(?:resource|module|data|locals|terraform)\b(?:[ \t]+"([^"\n]*)")??(?:[ \t]+"([^"\n]*)")?[ \t]*\{/m

/** Matches the start of a policy that Terraform makes of an object. */
const ENCODED = new RegExp(`=[ \\t]*(?:json|yaml)encode\\([\\s{]*"?(?:${PHASE})\\b`)

/** Matches a heredoc of Terraform: the name of its attribute, its end and its lines. */
const HEREDOC = /(\w+)[ \t]*=[ \t]*<<-?(\w+)[ \t]*\r?\n([\s\S]*?)^[ \t]*\2[ \t]*$/gm

/** Finds the policies in heredocs of Terraform. */
export function findHeredocs(text: string): FoundPolicies {
  const blocks = [...text.matchAll(new RegExp(BLOCK, 'gm'))]
  const placeOf = placesOf(text)
  const heredocs = [...text.matchAll(HEREDOC)].flatMap(({ index, 0: whole, 1: name = '', 3: lines = '' }) => {
    if (!HAS_PHASE.test(lines)) return []
    const start = index + whole.indexOf('\n') + 1
    return { index, name, start, ...readInterpolations(lines) }
  })
  const policies = heredocs
    .filter(({ isStructure }) => !isStructure)
    .map(({ index, name, start, text: policy }): FoundPolicy => {
      const [block, next] = [blocks.findLast((each) => each.index < index), blocks.find((each) => each.index > index)]
      const [, url] = /^[ \t]*url[ \t]*=[ \t]*"([^"\n]*)"/m.exec(text.slice(block?.index ?? 0, next?.index)) ?? []
      const slice = () => ({ text: policy, linesBefore: placeOf(start).line - 1, indent: 0 })
      const { url: _, ...facts } = factsIn({ type: block?.[1], name: block?.[2], url })
      return { ...facts, name, slice, ...(policy.includes(UNKNOWN) && { isTemplate: true }) }
    })
  const problems = heredocs.flatMap(({ start, ofCel }) =>
    ofCel.map(({ source, index }) => {
      const { line, column } = placeOf(start + index)
      const message = `${quote(source)} is read by Terraform, which has no such value. Write $${source}.`
      return { ...problemAt(message, line, column), rule: 'terraform-value' }
    }),
  )
  const isTemplate =
    ENCODED.test(text) || heredocs.some(({ isStructure, text: policy }) => isStructure || policy.includes(UNKNOWN))
  return { policies, problems, isTemplate }
}
