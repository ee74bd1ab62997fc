// Clients of HTTP that tests connect to gateways, from the packages in this folder.
export { default as got } from 'got'
export { request as undiciRequest } from 'undici'
