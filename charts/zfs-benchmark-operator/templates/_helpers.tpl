{{- define "zfsbench.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if or (contains "zfsbench" .Release.Name) (contains .Chart.Name .Release.Name) -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-zfsbench" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "zfsbench.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: manager
{{- end -}}

{{- define "zfsbench.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "zfsbench.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "zfsbench.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is needed when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* An image's name without tag and digest. Takes a list of the root context and the image's values. */ -}}
{{- define "zfsbench.imageName" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- if $root.Values.imageRegistry -}}
{{- printf "%s/%s" $root.Values.imageRegistry $image.repository -}}
{{- else -}}
{{- $image.repository -}}
{{- end -}}
{{- end -}}

{{- /* An image's reference: a digest wins over the tag, because it alone says exactly what runs. Takes the same. */ -}}
{{- define "zfsbench.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- $name := include "zfsbench.imageName" . -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $root.Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* The egress rule that lets a pod reach the API server. Takes .Values.networkPolicy.apiServer. */ -}}
{{- define "zfsbench.toAPIServer" -}}
- ports:
    {{- range .ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
{{- end -}}
