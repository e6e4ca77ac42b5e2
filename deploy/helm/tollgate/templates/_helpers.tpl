{{- define "tollgate.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "tollgate.metadata" -}}
name: {{ include "tollgate.fullname" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "tollgate.labels" . | nindent 2 }}
{{- end }}

{{- define "tollgate.image" -}}
{{- $image := .root.Values.image -}}
{{- $app := ternary "decision-api" "control-plane" (eq .component "decision-api") -}}
{{- $digest := ternary $image.decisionApiDigest $image.controlPlaneDigest (eq .component "decision-api") -}}
{{- $image.registry }}/{{ $app }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Settings of a component: of the chart, then of the operator, then secrets by name. */}}
{{- define "tollgate.env" -}}
{{- $values := .root.Values -}}
{{- $isDecisionApi := eq .component "decision-api" -}}
{{- $fixed := dict "PUBLIC_URL" $values.publicUrl "DECISION_URL" $values.decisionUrl "WORKER" "separate" "TRUSTED_PROXY_HOPS" $values.trustedProxyHops "METRICS_PORT" 4012 "METRICS_HOST" "0.0.0.0" "DECISION_INTERNAL_URL" (printf "http://%s-decision-api:4010" (include "tollgate.fullname" .root)) -}}
{{- $required := list "DATABASE_URL" "DATABASE_SCOPE_SECRETS" "REDIS_CONFIG_URL" "REDIS_COUNTERS_URL" "SESSION_SECRET" "ENCRYPTION_SECRETS" "AUDIT_KEY" "TOKEN_PEPPER" "POLICY_SIGNING_KEY" -}}
{{- $optional := list "DECISION_TOKEN" "SMTP_URL" "STRIPE_SECRET_KEY" "STRIPE_WEBHOOK_SECRET" "TOKEN_PEPPERS_OLD" "USAGE_EXPORT_URL" -}}
{{- $env := $values.controlPlane.env -}}
{{- if eq .component "setup" -}}
{{- $_ := set $fixed "ADMIN_EMAIL" $values.adminEmail -}}
{{- $required = concat $required (list "DATABASE_MIGRATION_URL" "ADMIN_PASSWORD") -}}
{{- end -}}
{{- if $isDecisionApi -}}
{{- $fixed = dict "CONSOLE_URL" $values.publicUrl "RLS_PORT" 4011 "METRICS_PORT" 4012 "METRICS_HOST" "0.0.0.0" -}}
{{- $required = list "REDIS_CONFIG_URL" "REDIS_COUNTERS_URL" "TOKEN_PEPPER" "POLICY_PUBLIC_KEYS" -}}
{{- $optional = list "TOKEN_PEPPERS_OLD" -}}
{{- $env = $values.decisionApi.env -}}
{{- end -}}
{{- range $name, $value := merge (dict) $fixed $env }}
- name: {{ $name }}
  value: {{ (kindIs "float64" $value | ternary (int64 $value) $value) | toString | quote }}
{{- end }}
{{- range $name := concat $required $optional }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $values.existingSecret }}
      key: {{ $name }}
      {{- if has $name $optional }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}

{{/* What all pods share. */}}
{{- define "tollgate.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tollgate.container" -}}
image: {{ include "tollgate.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env: {{- include "tollgate.env" . | trim | nindent 2 }}
resources: {{- toYaml .values.resources | nindent 2 }}
{{- end }}

{{- define "tollgate.host" -}}
{{- (urlParse .).hostname -}}
{{- end }}

{{/* Ports of a NetworkPolicy. */}}
{{- define "tollgate.tcp" -}}
{{- range . }}
- { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end }}
