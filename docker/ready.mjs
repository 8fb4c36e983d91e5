// The health check of every service's container: asks the inner port whether it is ready (O4). No curl in the image.

try {
  const response = await fetch(`http://127.0.0.1:${process.env.INNER_PORT || 9090}/readyz`, {
    signal: AbortSignal.timeout(4000),
  })
  if (!response.ok) console.error(await response.text())
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
