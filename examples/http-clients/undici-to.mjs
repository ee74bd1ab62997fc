import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'

/** Sends undici's requests for one origin to another, such as a served gateway. Returns a function that undoes it. */
export function undiciTo(origin, served) {
  const before = getGlobalDispatcher()
  const redirected = (dispatch) => (request, handler) =>
    dispatch(request.origin === origin ? { ...request, origin: served } : request, handler)
  setGlobalDispatcher(before.compose(redirected))
  return () => setGlobalDispatcher(before)
}
