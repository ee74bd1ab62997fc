export { default } from 'typescript'
