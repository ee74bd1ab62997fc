import type { Facts } from '../../schema/documentation.ts'
import { POLICY_ACTIONS } from './actions.ts'

export const EXPRESSIONS =
  'CEL expressions over `req`, `res` and `conn` that traffic must meet for the rule to apply; all traffic without any.'
export const RULE = 'What is done with some of the traffic.'
export const ACTION = 'One thing that is done with traffic.'
export const NAME = 'How people call the rule.'
export const ACTIONS = 'What is done with the traffic, in this order; nothing follows `deny` and `custom-response`.'
export const CONFIG = 'The configuration of the action; its fields hang on the type.'

export const TYPE = 'What kind of action it is, such as `deny`.'
export const TYPES: Facts = {
  rules: 'traffic-policy#actions',
  json: { anyOf: [{ enum: POLICY_ACTIONS }, { type: 'string' }] },
}
