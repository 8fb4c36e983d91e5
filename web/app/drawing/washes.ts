// The light of each landscape from top to bottom, for placeholders: read off the finished pictures once.
export const washes: Readonly<Record<string, readonly string[]>> = {
  skarnvik: ['#9b989a', '#7c7776', '#676463', '#656565', '#5b5d60'],
  'hallow-ness': ['#7b898b', '#98a5a5', '#9facab', '#929d9e', '#7e8a8b'],
  revonmaa: ['#214556', '#276368', '#215d5c', '#103337', '#143e3f'],
  jokulhem: ['#94aab8', '#adbbc2', '#aebec5', '#a4b7bd', '#8097a1'],
  ostrel: ['#7a82b5', '#a895b2', '#8b7b98', '#646c93', '#7a85b0'],
  asurai: ['#241f3b', '#362c50', '#4e355b', '#412841', '#16101c'],
  moyun: ['#b4beb6', '#b5bbb1', '#8d9186', '#8d9185', '#838b7c'],
  langgai: ['#8a8266', '#7f7c59', '#8f8764', '#918b6c', '#858871'],
  mirabelos: ['#a9cad9', '#99b5be', '#719eaa', '#568c9e', '#458199'],
  'noctil-bay': ['#1a2147', '#1e2853', '#1e2e57', '#1b416b', '#114163'],
  luzamar: ['#4c497d', '#695b8e', '#6f5159', '#6a4d50', '#614e73'],
  'sehel-amun': ['#4a5589', '#8d7a9a', '#89656e', '#8a5858', '#7e5050'],
  cassarah: ['#c7b0a1', '#c68e6e', '#9f5b47', '#7d493f', '#67413a'],
  oyune: ['#baa9bb', '#ddbdb8', '#dfbdb2', '#d5b7b8', '#b1a4b9'],
  arbolenda: ['#7d8651', '#8b9066', '#888e67', '#78805b', '#535c37'],
  rousserelle: ['#8da8c1', '#9b8d85', '#9f816c', '#94837a', '#7f91a4'],
}
