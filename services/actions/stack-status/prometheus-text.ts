// Parses the response of `/metrics` of a service (Prometheus text format, version 0.0.4).

export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g
const ESCAPES: Readonly<Record<string, string>> = { '\\n': '\n', '\\\\': '\\', '\\"': '"' }

/** The samples for whose names `wants` returns true; ignores comments and malformed lines. */
export function parseSamples(text: string, wants: (name: string) => boolean): Sample[] {
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', labels = '', number = ''] = LINE.exec(line) ?? []
    const value = Number(number)
    if (name !== '' && wants(name) && Number.isFinite(value)) samples.push({ name, labels: parseLabels(labels), value })
  }
  return samples
}

function parseLabels(text: string): Record<string, string> {
  const labels = Object.create(null) as Record<string, string>
  for (const [, name = '', value = ''] of text.matchAll(LABEL))
    labels[name] = value.replace(/\\[n\\"]/g, (pair) => ESCAPES[pair] ?? pair)
  return labels
}
