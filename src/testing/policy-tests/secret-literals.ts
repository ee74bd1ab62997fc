import type { ASTNode } from '@marcbachmann/cel-js'
import { findKeysInHeader, isSecretHeader } from '../../core/schema/secret-texts.ts'
import { pathOfNode, walk } from '../../service/policy/expression.ts'

/** Lists the strings that an expression compares with a secret part of a request, such as the header `x-api-key` or a cookie. */
export function listSecretLiterals(tree: ASTNode): readonly string[] {
  const found: string[] = []
  const compare = (one: ASTNode, other: ASTNode) => {
    if (readsSecret(one)) found.push(...listTexts(other))
  }
  walk(tree, (node) => {
    switch (node.op) {
      case '==':
      case '!=':
        compare(node.args[0], node.args[1])
        compare(node.args[1], node.args[0])
        break
      case 'in':
        compare(node.args[0], node.args[1])
        break
      case '[]':
        compare(node.args[1], node.args[0])
        break
      case 'call':
      case 'rcall': {
        // A macro such as `exists` looks for the secret in its list, and a method such as `startsWith` takes a string.
        const operands = node.op === 'call' ? node.args[1] : [node.args[1], ...node.args[2]]
        if (!isSecretRead(node) && operands.some(readsSecret))
          found.push(...operands.filter(({ op }) => op === 'value' || op === 'list').flatMap(listTexts))
        break
      }
      default:
    }
  })
  return found.flatMap(findKeysInHeader)
}

function listTexts(tree: ASTNode): readonly string[] {
  const texts: string[] = []
  walk(tree, ({ op, args }) => {
    if (op === 'value' && typeof args === 'string') texts.push(args)
  })
  return texts
}

function readsSecret(tree: ASTNode): boolean {
  let found = false
  walk(tree, (node) => {
    found ||= isSecretRead(node)
  })
  return found
}

/** Matches the paths of maps keyed by header or parameter name. */
const MAPS = /^(?:req|res)\.(?:headers|trailers|url\.query_params)$|^vars$/
const COOKIES = /^(?:req|res)\.cookies$/

function isSecretRead(node: ASTNode): boolean {
  if (node.op === 'call') {
    const [, what] = /^get(?:Re[qs])?(Header|Cookie|QueryParam)$/.exec(node.args[0]) ?? []
    const name = node.args[1][0]?.args
    return what === 'Cookie' || (what !== undefined && typeof name === 'string' && isSecretHeader(name))
  }
  if (node.op !== '.' && node.op !== '[]') return false
  const path = pathOfNode(node.args[0]) ?? ''
  const name = node.op === '.' ? node.args[1] : node.args[1].args
  if (path === 'req.url' && name === 'user_password') return true
  return COOKIES.test(path) || (MAPS.test(path) && typeof name === 'string' && isSecretHeader(name))
}
