// A web worker, which browsers run from the origin of the site only.

addEventListener('message', ({ data }: MessageEvent<number>) =>
  postMessage([data * 2, Buffer.from('worker').toString('base64')]),
)
