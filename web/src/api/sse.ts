export interface Message {
  id: string
  event: string
  data: string
}

/**
 * Reads server-sent events from bytes, as WHATWG HTML 9.2.6 says. Comments are
 * skipped; a message that the stream's end cuts is dropped.
 */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.getReader()
  const utf8 = new TextDecoder()
  let rest = ''
  let message = blank()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += utf8.decode(value, { stream: true })
      // A \r at the end may be half of \r\n: it waits for what follows.
      const parts = rest.split(/\r\n|\n|\r(?!$)/)
      rest = parts.pop() ?? ''
      for (const line of parts) {
        if (line !== '') add(message, line)
        else {
          if (message.data !== '' || message.event !== '') yield { ...message, data: message.data.slice(0, -1) }
          message = { ...blank(), id: message.id }
        }
      }
    }
  } finally {
    reader.releaseLock()
  }
}

const blank = (): Message => ({ id: '', event: '', data: '' })

function add(message: Message, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const field = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  if (field === 'data') message.data += `${value}\n`
  else if (field === 'event') message.event = value
  else if (field === 'id' && !value.includes('\0')) message.id = value
}
