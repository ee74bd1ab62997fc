import { action } from '../action.ts'

export const setVars = action({
  type: 'set-vars',
  about: 'Sets variables that later rules of the same phase read as `vars.<name>`.',
  page: 'set-vars',
  phases: ['on_tcp_connect', 'on_http_request', 'on_http_response'],
  config: {
    vars: {
      kind: 'variables',
      maxDepth: 10,
      takesCel: true,
      isRequired: true,
      about: 'The variables, in order. Each is a map with one name and its value.',
    },
  },
  run({ vars }, visit) {
    for (const { name, read } of vars) visit.setVariable(name, read())
    return { did: `set ${vars.map(({ name }) => name).join(', ')}` }
  },
})
