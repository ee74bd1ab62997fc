import { quote } from '../../../core/schema/text.ts'
import { placesOf } from '../lines.ts'
import { factsIn, HAS_PHASE, PHASE } from './facts.ts'
import { type FoundPolicies, type FoundPolicy, problemAt } from './found.ts'
import { readObject } from './hcl.ts'
import { readInterpolations, UNKNOWN } from './interpolations.ts'

/** Matches the first line of a Terraform block, with its resource type and name. */
export const BLOCK =
  /^[ \t]*(?:resource|module|data|locals|terraform)\b(?:[ \t]+"([^"\n]*)")??(?:[ \t]+"([^"\n]*)")?[ \t]*\{/m

/** Matches the start of a string that Terraform encodes from a value, with the attribute name. */
const ENCODED = /(\w+)[ \t]*=[ \t]*(?:json|yaml)encode\(\s*/g
/** Matches an object that is a policy. */
const IS_OBJECT_OF_POLICY = new RegExp(`^\\{(?:\\s|[#/].*)*"?(?:${PHASE})\\b`)

/** Matches a Terraform heredoc: the attribute name, the end marker, the lines, and the line with the end marker, if there is one. */
const HEREDOC = /(\w+)[ \t]*=[ \t]*<<-?(\w+)[ \t]*\r?\n([\s\S]*?)(^[ \t]*\2[ \t]*$|$(?![\s\S]))/gm

/** A Terraform string that is a policy. */
interface Written {
  readonly index: number
  /** The attribute name. */
  readonly name: string
  /** The position of the policy in the file. */
  readonly start: number
  readonly text: string
  /** The interpolations that were intended for CEL, with their positions in the file. */
  readonly ofCel: readonly { readonly source: string; readonly index: number }[]
}

/** Finds policies in Terraform, both in heredocs and in the objects passed to `jsonencode` and `yamlencode`. */
export function findInTerraform(text: string): FoundPolicies {
  const blocks = [...text.matchAll(new RegExp(BLOCK, 'gm'))]
  const placeOf = placesOf(text)
  const found = [...listHeredocs(text), ...listEncoded(text)]
  const written = found.filter((each) => typeof each === 'object')
  const policies = written.map(({ index, name, start, text: policy }): FoundPolicy => {
    const [block, next] = [blocks.findLast((each) => each.index < index), blocks.find((each) => each.index > index)]
    const [, url] = /^[ \t]*url[ \t]*=[ \t]*"([^"\n]*)"/m.exec(text.slice(block?.index ?? 0, next?.index)) ?? []
    const { line, column } = placeOf(start)
    const slice = () => ({ text: ' '.repeat(column - 1) + policy, linesBefore: line - 1, indent: 0, isEscaped: true })
    const { url: _, ...facts } = factsIn({ type: block?.[1], name: block?.[2], url })
    return { ...facts, name, slice, ...(policy.includes(UNKNOWN) && { isTemplate: true }) }
  })
  const problems = written.flatMap(({ ofCel }) =>
    ofCel.map(({ source, index }) => {
      const { line, column } = placeOf(index)
      const meant = source.startsWith('%') ? `$$${source.slice(1)}, or %${source} for that text` : `$${source}`
      const message = `Terraform reads ${quote(source)} as its own expression, which has no value. Write ${meant}.`
      return { ...problemAt(message, line, column), rule: 'terraform-value' }
    }),
  )
  const unclosed = listUnclosed(text).map(({ index, marker }) => {
    const { line, column } = placeOf(index)
    const message = `The heredoc has no line with its end marker ${marker}, so the policy in it is not checked.`
    return { ...problemAt(message, line, column), rule: 'heredoc-unclosed' }
  })
  const computedLines = found.flatMap((each) => {
    if (typeof each === 'number') return placeOf(each).line
    // The text has the lines of the file, but not always its columns.
    const [before, after] = each.text.split(UNKNOWN, 2)
    return after === undefined ? [] : placeOf(each.start).line + (before ?? '').split('\n').length - 1
  })
  return { policies, problems: [...problems, ...unclosed], computedLines }
}

/** Lists the heredocs of policies whose end marker is missing. */
function listUnclosed(text: string): readonly { readonly index: number; readonly marker: string }[] {
  return [...text.matchAll(HEREDOC)].flatMap(({ index, 2: marker = '', 3: lines = '', 4: end }) =>
    end || !HAS_PHASE.test(lines) ? [] : { index, marker },
  )
}

/** Lists the heredocs that are policies. For a policy that Terraform computes, returns the position of the first computed part. */
function listHeredocs(text: string): readonly (Written | number)[] {
  return [...text.matchAll(HEREDOC)].flatMap(({ index, 0: whole, 1: name = '', 3: lines = '', 4: end }) => {
    if (!end || !HAS_PHASE.test(lines)) return []
    const start = index + whole.indexOf('\n') + 1
    const { structureAt, text: policy, ofCel } = readInterpolations(lines)
    if (structureAt !== undefined) return start + structureAt
    return { index, name, start, text: policy, ofCel: ofCel.map((each) => ({ ...each, index: each.index + start })) }
  })
}

/** Lists the encoded objects that are policies. For a policy that Terraform computes, returns its position. */
function listEncoded(text: string): readonly (Written | number)[] {
  return [...text.matchAll(ENCODED)].flatMap(({ index, 0: whole, 1: name = '' }) => {
    const start = index + whole.length
    if (name !== 'traffic_policy' && !IS_OBJECT_OF_POLICY.test(text.slice(start))) return []
    const object = text.startsWith('{', start) ? readObject(text, start) : undefined
    return object && /^\s*\)/.test(text.slice(object.end)) ? { ...object, index, name, start } : start
  })
}
