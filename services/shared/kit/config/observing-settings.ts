// Environment variables of what operators see: traces and certificates. A part of the list in settings.ts.

import { ALL_SERVICES, type Setting } from './setting.ts'

export const OBSERVING_SETTINGS = {
  CERTIFICATE_CHECK: {
    rule: 'a host, with or without a port, where PUBLIC_ORIGINS has an https origin',
    help: 'Where TLS ends in front of the gateway, for example caddy:443. The gateway reads the certificates of PUBLIC_ORIGINS there once an hour, for the alerts. Empty: no certificate is read.',
    services: ['gateway'],
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    rule: 'an http or https URL',
    help: 'Destination of traces: a collector or store that accepts OTLP over HTTP, for example http://collector:4318. Empty: no request is traced.',
    services: ALL_SERVICES,
  },
  OTEL_TRACES_EXPORTER: {
    rule: 'otlp or none',
    fallbackRule: 'otlp where OTEL_EXPORTER_OTLP_ENDPOINT is set, else none',
    help: 'Whether requests are traced.',
    services: ALL_SERVICES,
  },
  OTEL_SERVICE_NAME: {
    rule: 'a name',
    fallbackRule: 'portico- and the name of the service',
    help: 'Name of the service in its traces.',
    services: ALL_SERVICES,
  },
  OTEL_TRACES_SAMPLER: {
    rule: 'one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio',
    fallback: 'parentbased_always_on',
    help: 'Which requests are traced; parentbased: as the sender of the request decided, if the request has a trace.',
    services: ALL_SERVICES,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    rule: 'a number, 0 to 1',
    fallback: '1',
    help: 'The share of traces that the samplers with traceidratio keep.',
    services: ALL_SERVICES,
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    rule: 'milliseconds, 0 to 600000',
    fallback: '5000',
    help: 'How long spans are collected before they are sent.',
    services: ALL_SERVICES,
  },
} as const satisfies Record<string, Setting>
