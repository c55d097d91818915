import { expect, it } from 'vitest'
import { lines, type Message } from './sse'

function stream(...chunks: string[]): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  return new ReadableStream({
    start(c) {
      for (const chunk of chunks) c.enqueue(utf8.encode(chunk))
      c.close()
    },
  })
}

async function all(...chunks: string[]): Promise<Message[]> {
  const out: Message[] = []
  for await (const m of lines(stream(...chunks))) out.push(m)
  return out
}

it('reads messages however the bytes are cut', async () => {
  const text = ': hello\n\nid: 7-1\nevent: worker\ndata: {"id":"机"}\n\nid: 7-2\r\nevent:task\r\ndata: a\r\ndata: b\r\n\r\n'
  const want = [
    { id: '7-1', event: 'worker', data: '{"id":"机"}' },
    { id: '7-2', event: 'task', data: 'a\nb' },
  ]
  expect(await all(text)).toEqual(want)
  expect(await all(...text)).toEqual(want)
})

it('drops a message that the end of the stream cuts', async () => {
  expect(await all('id: 1-1\nevent: worker\ndata: {')).toEqual([])
})
