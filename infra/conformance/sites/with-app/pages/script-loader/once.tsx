import Script from 'next/script'

const calls: Record<string, number> = {}
function count(name: string) {
  calls[name] = (calls[name] ?? 0) + 1
  document.body.dataset.calls = JSON.stringify(calls)
}

export default function Once() {
  return (
    <main>
      <h1>Once</h1>
      <Script src="/script-loader/count.js?once" onReady={() => count('file')} />
      <Script
        id="text-once"
        dangerouslySetInnerHTML={{ __html: 'window.textOnce = true' }}
        onReady={() => count('text')}
      />
    </main>
  )
}
