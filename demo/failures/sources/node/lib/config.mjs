const DEFAULTS = { retries: 3, hosts: ["main"], limits: { perMinute: 60 } };

/** Settings of one tenant over the defaults. */
export function configFor(tenant) {
  return { ...DEFAULTS, ...tenant };
}

export function perMinute(config) {
  return config.limits.perMinute.toFixed(0);
}
