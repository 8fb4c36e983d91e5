// pages/_app.tsx
import '../styles/site.css'
import { type DehydratedState, HydrationBoundary, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { AppProps } from 'portico'
import { useState } from 'react'

export default function App({ Component, pageProps }: AppProps<{ queries?: DehydratedState }>) {
  const [client] = useState(() => new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } }))
  return (
    <QueryClientProvider client={client}>
      <HydrationBoundary state={pageProps.queries}>
        <Component {...pageProps} />
      </HydrationBoundary>
    </QueryClientProvider>
  )
}
