// Shows orders as they are placed. An EventSource cannot send a key, so the events are read with
// fetch; programs with a bundler use `events()` of koa-smorest/client, which does the same.
const form = document.querySelector('form')
const output = document.querySelector('output')
const table = document.querySelector('table')
const rows = document.querySelector('tbody')
let watching = new AbortController()

form.addEventListener('submit', event => {
  event.preventDefault()
  watching.abort()
  watching = new AbortController()
  void watch(form.elements.key.value, watching.signal)
})

/** Reads events until the signal aborts, and goes on after the last one when a connection ends. */
async function watch(key, signal) {
  for (let lastId = ''; !signal.aborted; ) {
    try {
      const headers = { 'X-Key': key, ...(lastId && { 'Last-Event-ID': lastId }) }
      const response = await fetch('orders/events', { headers, signal, cache: 'no-store' })
      if (response.status >= 400 && response.status < 500) {
        output.value = response.status === 401 ? 'The key is wrong.' : `Refused: ${response.status}`
        return
      }
      if (response.status === 200) {
        output.value = 'Waiting for orders …'
        table.hidden = false
        for await (const { id, order } of ordersIn(response)) {
          lastId = id
          show(order)
        }
      }
    } catch (error) {
      if (!(error instanceof TypeError)) return
    }
    output.value = 'Connecting again …'
    await new Promise(resolve => setTimeout(resolve, 1000))
  }
}

async function* ordersIn(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (text + value).split('\n\n')
    text = events.pop()
    for (const event of events) {
      const fields = new Map(event.split('\n').map(line => line.split(/: ?(.*)/s, 2)))
      if (fields.get('event') === 'placed')
        yield { id: fields.get('id'), order: JSON.parse(fields.get('data')) }
    }
  }
}

function show({ id, kind, petId, ownerId, price, orderedAt }) {
  const row = rows.insertRow(0)
  const time = new Date(orderedAt).toLocaleTimeString()
  for (const text of [id, kind, petId, ownerId, `€ ${price}`, time])
    row.insertCell().textContent = text
}
